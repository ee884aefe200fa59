// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A token that breaks one promise, for tests.
/// @notice It takes EIP-3009 authorizations, whoever signed them, and behaves well whenever no gas is paid for: every simulation
/// of a settlement succeeds, and what happens on chain is something else. Anyone may mint.
contract HostileToken {
    enum Trick {
        None,
        /// Keeps a hundredth, and says so in its log.
        KeepsAPart,
        /// Marks the authorization as used and does nothing, without a word.
        Silent,
        /// Moves the money to somebody else and logs that.
        PaysAnother,
        /// Refuses, as a token that was paused or has blocked somebody.
        Refuses,
        /// Uses up whatever gas it is given.
        BurnsGas,
        /// Calls itself again from within and moves twice what was signed for.
        MovesTwice,
        /// Moves the money and never remembers that the authorization was used.
        Forgets,
        /// Says that everybody is rich; has nothing to move.
        LiesAboutBalances,
        /// Moves the money and logs it under another amount.
        LogsAnotherAmount
    }

    Trick public immutable trick;
    mapping(address owner => uint256) private _balances;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) private _used;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    constructor(Trick trick_) {
        trick = trick_;
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    /// @notice What is really there, which no part of the protocol asks for.
    function truth(address owner) external view returns (uint256) {
        return _balances[owner];
    }

    function balanceOf(address owner) external view returns (uint256) {
        return trick == Trick.LiesAboutBalances ? type(uint128).max : _balances[owner];
    }

    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _used[authorizer][nonce];
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256 validBefore,
        bytes32 nonce,
        uint8,
        bytes32,
        bytes32
    ) external returns (bool) {
        require(block.timestamp < validBefore, "expired");
        require(!_used[from][nonce], "used");
        Trick now_ = tx.gasprice == 0 ? Trick.None : trick;
        if (now_ == Trick.Refuses) revert("paused");
        if (now_ == Trick.BurnsGas) {
            for (uint256 i = 0; ; ++i) _balances[address(uint160(i + 1))] = i;
        }
        if (now_ != Trick.Forgets) _used[from][nonce] = true;
        if (now_ == Trick.Silent) return false;
        emit AuthorizationUsed(from, nonce);
        if (now_ == Trick.KeepsAPart) {
            _move(from, to, value - value / 100, value - value / 100);
        } else if (now_ == Trick.PaysAnother) {
            _move(from, address(this), value, value);
        } else if (now_ == Trick.LogsAnotherAmount) {
            _move(from, to, value, value + 1);
        } else {
            _move(from, to, value, value);
        }
        if (now_ == Trick.MovesTwice) this.moveAgain(from, to, value);
        return true;
    }

    function moveAgain(address from, address to, uint256 value) external {
        require(msg.sender == address(this), "from within only");
        _move(from, to, value, value);
    }

    function _move(address from, address to, uint256 value, uint256 logged) private {
        _balances[from] -= value;
        _balances[to] += value;
        emit Transfer(from, to, logged);
    }
}
